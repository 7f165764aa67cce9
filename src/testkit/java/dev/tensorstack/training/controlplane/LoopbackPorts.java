package dev.tensorstack.training.controlplane;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Ports of 127.0.0.1 for servers that are started soon.
 *
 * <p>They lie below the ports that the system gives to outgoing connections, and below those of a
 * job's rendezvous: a port that was free a moment ago is not taken by a client in between. Nor is
 * it given to a server of another JVM's tests: ports are taken in blocks, and a block belongs to
 * the JVM that listens on its first port. A JVM keeps the block in use and the one before it, whose
 * last ports may have been given a moment ago.
 */
public final class LoopbackPorts {

  private static final int FIRST = 10_000;
  private static final int BLOCKS = 50;
  private static final int BLOCK_SIZE = 200;

  private static final LoopbackPorts OF_THIS_JVM = new LoopbackPorts();

  /** Where the next block is looked for: JVMs begin at different places. */
  private int nextBlock = (int) (ProcessHandle.current().pid() % BLOCKS);

  private int nextPort;
  private int blockEnd;

  /** Holds the block in use and the one before it. */
  private final Deque<ServerSocket> held = new ArrayDeque<>();

  LoopbackPorts() {}

  /**
   * A port that nobody listens on, and that no other caller is given soon.
   *
   * @return a TCP port
   * @throws IllegalStateException when all are taken
   */
  public static int next() {
    return OF_THIS_JVM.take();
  }

  /**
   * The next port of the block in use, or of the next free block.
   *
   * @return a TCP port that is free
   * @throws IllegalStateException when all are taken
   */
  synchronized int take() {
    while (true) {
      while (nextPort < blockEnd) {
        int port = nextPort++;
        ServerSocket probe = listen(port);
        if (probe != null) {
          close(probe);
          return port;
        }
      }
      takeBlock();
    }
  }

  private void takeBlock() {
    for (int tries = 0; tries < BLOCKS; tries++) {
      int first = FIRST + nextBlock * BLOCK_SIZE;
      nextBlock = (nextBlock + 1) % BLOCKS;
      ServerSocket holder = listen(first);
      if (holder != null) {
        held.addLast(holder);
        if (held.size() > 2) {
          close(held.removeFirst());
        }
        nextPort = first + 1;
        blockEnd = first + BLOCK_SIZE;
        return;
      }
    }
    throw new IllegalStateException(
        "no free block of ports from " + FIRST + " to " + (FIRST + BLOCKS * BLOCK_SIZE - 1));
  }

  private static @Nullable ServerSocket listen(int port) {
    try {
      ServerSocket socket = new ServerSocket();
      try {
        socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        return socket;
      } catch (IOException taken) {
        socket.close();
        return null;
      }
    } catch (IOException problem) {
      return null;
    }
  }

  private static void close(ServerSocket socket) {
    try {
      socket.close();
    } catch (IOException problem) {
      throw new IllegalStateException("port " + socket.getLocalPort(), problem);
    }
  }
}
