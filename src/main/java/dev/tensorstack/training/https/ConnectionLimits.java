package dev.tensorstack.training.https;

import java.time.Duration;

/**
 * How many connections a server has at once, and for how long.
 *
 * @param all the most of everybody together
 * @param ofOneAddress the most of one IP address
 * @param longest after this time a connection is closed, whatever it does
 */
public record ConnectionLimits(int all, int ofOneAddress, Duration longest) {}
