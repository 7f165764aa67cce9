/**
 * A small stand-in for a kubelet: every pod that is bound to its node runs as processes of this
 * machine, without root and without containers.
 *
 * <p>What differs from a real node, and why:
 *
 * <ul>
 *   <li><b>Images are ignored.</b> The command runs with the programs of this machine. A container
 *       without command and args waits with {@code CreateContainerError}, as it would with an image
 *       that has no entry point; with args alone, the args are the command. Image names that {@link
 *       dev.tensorstack.training.localnode.LocalNodeOptions#unpullable()} lists can never be
 *       pulled.
 *   <li><b>Nothing is mounted.</b> A volume is a directory; where its mount path is written as a
 *       path in {@code command}, {@code args}, {@code workingDir} or the value of a variable, the
 *       path of that directory is put in its place. Paths inside of programs, scripts and files are
 *       not seen. The path of the termination message is treated like a mount path, and is offered
 *       in {@code TERMINATION_MESSAGE_PATH}.
 *   <li><b>There is no DNS.</b> Names of pods behind a headless Service are replaced by the address
 *       of that pod, in the same places, and so is the name of a headless Service that is its pod's
 *       own and has its name. Addresses are 127.x.y.z, known before the pod exists, and the same
 *       for a replacement with the same host name. There is no proxy for Services with a cluster
 *       IP.
 *   <li><b>The main process is not process 1</b>, so a signal that it does not handle ends it.
 *   <li><b>Security contexts and read-only mounts are ignored</b>: all processes have the rights of
 *       this JVM's user.
 *   <li><b>There are no cgroups</b>: requests and limits count for the scheduler only. Running out
 *       of memory can be played with {@code oomKill}.
 *   <li>{@code preStop}, {@code postStart}, liveness and startup probes are ignored; {@code exec},
 *       {@code attach} and {@code port-forward} are refused.
 * </ul>
 */
@NullMarked
package dev.tensorstack.training.localnode;

import org.jspecify.annotations.NullMarked;
