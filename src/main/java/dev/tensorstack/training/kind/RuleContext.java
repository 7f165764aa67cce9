package dev.tensorstack.training.kind;

import org.jspecify.annotations.Nullable;

/**
 * What the rules look at.
 *
 * @param name the job's name; null while the API server has not yet made one from generateName
 * @param spec the spec with all defaults
 * @param old the stored spec with all defaults when this is a change, null at creation
 * @param <S> the Java type of the kind's spec
 */
public record RuleContext<S>(@Nullable String name, S spec, @Nullable S old) {}
