/** Tests of the API types. */
package dev.tensorstack.training.api;
