/**
 * What the CRD says of the rules of admission, in CEL. The CRD is made from it; nothing of it is
 * part of the running operator.
 */
@NullMarked
package dev.tensorstack.training.crd;

import org.jspecify.annotations.NullMarked;
