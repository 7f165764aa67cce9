package dev.tensorstack.training.controlplane;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ports of 127.0.0.1 for servers that are started soon.
 *
 * <p>They lie below the ports that the system gives to outgoing connections, and below those of a
 * job's rendezvous: a port that was free a moment ago is not taken by a client in between. No port
 * is given twice in a JVM, and JVMs begin at different places.
 */
public final class LoopbackPorts {

  private static final int FIRST = 10_000;
  private static final int COUNT = 10_000;

  private static final AtomicInteger NEXT =
      new AtomicInteger((int) (ProcessHandle.current().pid() * 97 % COUNT));

  private LoopbackPorts() {}

  /**
   * A port that nobody listens on.
   *
   * @return a TCP port
   * @throws IllegalStateException when all are taken
   */
  public static int next() {
    for (int tries = 0; tries < COUNT; tries++) {
      int port = FIRST + Math.floorMod(NEXT.getAndIncrement(), COUNT);
      if (isFree(port)) {
        return port;
      }
    }
    throw new IllegalStateException("no free port from " + FIRST + " to " + (FIRST + COUNT - 1));
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException taken) {
      return false;
    }
  }
}
