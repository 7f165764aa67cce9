/**
 * Random histories of a job: the operator's pure core between an API server that refuses, repeats
 * and delays, nodes that get lost, users who change their minds, and an operator that is killed
 * (docs/design/simulation.md). No I/O, no threads, no real time: a seed says everything.
 */
package dev.tensorstack.training.simulation;
