package dev.tensorstack.training.naming;

/** What gang schedulers are called, and what pods carry for them (docs/design/gang.md). */
public final class GangSchedulers {

  /** API group of the T9k scheduler's PodGroup, and the prefix of its labels. */
  public static final String T9K_GROUP = "scheduler.tensorstack.dev";

  /** The {@code schedulerName} of the T9k scheduler. */
  public static final String T9K_NAME = "t9k-scheduler";

  /** Label of pods: the name of their PodGroup. */
  public static final String T9K_GROUP_NAME = T9K_GROUP + "/group-name";

  /** Label of pods: the queue of their PodGroup. */
  public static final String T9K_QUEUE = T9K_GROUP + "/queue";

  /** Label of pods: their role in the PodGroup. */
  public static final String T9K_ROLE = T9K_GROUP + "/role";

  /** API group of Volcano's PodGroup. */
  public static final String VOLCANO_GROUP = "scheduling.volcano.sh";

  /** The {@code schedulerName} of Volcano. */
  public static final String VOLCANO_NAME = "volcano";

  /** Annotation of pods: the name of their PodGroup. */
  public static final String VOLCANO_GROUP_NAME = "scheduling.k8s.io/group-name";

  /** API group of the coscheduling plugin's PodGroup. */
  public static final String COSCHEDULING_GROUP = "scheduling.x-k8s.io";

  /** The {@code schedulerName} under which the coscheduling plugin usually runs. */
  public static final String COSCHEDULING_NAME = "scheduler-plugins-scheduler";

  /** Label of pods: the name of their PodGroup. */
  public static final String COSCHEDULING_GROUP_NAME = COSCHEDULING_GROUP + "/pod-group";

  /** API group of Kubernetes' own PodGroup. */
  public static final String KUBERNETES_GROUP = "scheduling.k8s.io";

  /** The {@code schedulerName} of a pod that names none. */
  public static final String DEFAULT_NAME = "default-scheduler";

  /** Label of pods: the name of their Kueue group. */
  public static final String KUEUE_GROUP_NAME = "kueue.x-k8s.io/pod-group-name";

  /** Annotation of pods: how many pods their Kueue group has. */
  public static final String KUEUE_TOTAL_COUNT = "kueue.x-k8s.io/pod-group-total-count";

  private GangSchedulers() {}
}
