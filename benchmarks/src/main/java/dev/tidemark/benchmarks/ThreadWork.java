package dev.tidemark.benchmarks;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;

/**
 * What the threads of one job did so far: those whose name has the job's name in it.
 *
 * @param cpuNanos CPU time
 * @param allocatedBytes bytes of new objects
 */
record ThreadWork(long cpuNanos, long allocatedBytes) {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /** What the threads did whose name contains this; those that ended are not in it. */
  static ThreadWork of(String nameInThread) {
    long cpu = 0;
    long bytes = 0;
    for (ThreadInfo thread : THREADS.getThreadInfo(THREADS.getAllThreadIds())) {
      if (thread != null && thread.getThreadName().contains(nameInThread)) {
        cpu += Math.max(0, THREADS.getThreadCpuTime(thread.getThreadId()));
        bytes += Math.max(0, THREADS.getThreadAllocatedBytes(thread.getThreadId()));
      }
    }
    return new ThreadWork(cpu, bytes);
  }

  /** What was done since an earlier reading. */
  ThreadWork since(ThreadWork earlier) {
    return new ThreadWork(cpuNanos - earlier.cpuNanos, allocatedBytes - earlier.allocatedBytes);
  }
}
