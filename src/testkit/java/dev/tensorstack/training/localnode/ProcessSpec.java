package dev.tensorstack.training.localnode;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A process to start: everything is resolved.
 *
 * @param argv program and arguments, at least one
 * @param environment the whole environment
 * @param workingDirectory an existing directory
 * @param terminationMessage the file that the process may write its last words to
 */
record ProcessSpec(
    List<String> argv,
    Map<String, String> environment,
    Path workingDirectory,
    Path terminationMessage) {}
