package dev.tensorstack.training.benchmark;

/** What is measured in a round, with its unit and how many digits are worth printing. */
enum Metric {
  PODS_PER_SECOND("pods created and running per second", 0),
  PER_RAW("÷ raw, of the same round", 2),
  PER_RAW_WITH_JOBS("÷ raw with jobs and Services, of the same round", 2),
  ALL_RUNNING("submit → all pods run (s)", 2),
  PER_SAME_WRITES("submit → all pods run, ÷ same-writes client of the same round", 2),
  PER_TRAINING_OPERATOR("submit → all pods run, ÷ the Training Operator's", 2),
  FIRST_POD_P50("submit → first pod of a job, p50 (s)", 2),
  FIRST_POD_P99("submit → first pod of a job, p99 (s)", 2),
  JOB_CREATED_P50("submit → all pods of a job created, p50 (s)", 2),
  JOB_CREATED_P99("submit → all pods of a job created, p99 (s)", 2),
  JOB_RUNNING_P50("submit → all pods of a job run, p50 (s)", 2),
  JOB_RUNNING_P99("submit → all pods of a job run, p99 (s)", 2),
  STATUS_P50("last pod runs → status says Running, p50 (s)", 2),
  STATUS_P99("last pod runs → status says Running, p99 (s)", 2),
  FINISHED("last pod ended → last job says Succeeded (s)", 2),
  GONE("jobs deleted → all pods gone (s)", 2),
  OPERATOR_CPU("operator's CPU per pod, whole life (ms)", 2),
  OPERATOR_CPU_COLD("operator's CPU per pod, whole life, first round after its start (ms)", 2),
  RUN_API_CPU("CPU per pod until all pods run: API server (ms)", 2),
  RUN_ETCD_CPU("CPU per pod until all pods run: etcd (ms)", 2),
  RUN_MANAGER_CPU("CPU per pod until all pods run: kube-controller-manager (ms)", 2),
  RUN_KUBELET_CPU("CPU per pod until all pods run: the benchmark's kubelet (ms)", 2),
  RUN_CLIENT_CPU("CPU per pod until all pods run: operator or client (ms)", 2),
  LIFE_API_CPU("CPU per pod, whole life: API server (ms)", 2),
  LIFE_ETCD_CPU("CPU per pod, whole life: etcd (ms)", 2),
  LIFE_MANAGER_CPU("CPU per pod, whole life: kube-controller-manager (ms)", 2),
  LIFE_KUBELET_CPU("CPU per pod, whole life: the benchmark's kubelet (ms)", 2),
  STATUS_BYTES("a job's status when all pods run (bytes)", 0),
  REQUESTS_PER_POD("operator's requests per pod, whole life", 2),
  REQUESTS_PER_JOB("operator's requests per job, pod creations apart, whole life", 2),
  FAILED_SHARE("failed requests (%)", 2),
  CREATED_PER_SECOND("pods created per second, nothing starts", 0),
  API_CPU("API server's CPU per pod until created, nothing starts (ms)", 2),
  API_CPU_PER_RAW("API server's CPU per pod until created, ÷ raw of the same round", 2),
  ETCD_CPU("etcd's CPU per pod until created, nothing starts (ms)", 2),
  CLIENT_CPU("client's CPU per pod until created, nothing starts (ms)", 2),
  IDLE_MEMORY("operator's memory, idle after its start (MiB)", 0),
  PEAK_MEMORY("operator's memory, peak (MiB)", 0),
  KUBELET_P50("creation → the kubelet's Running is stored, p50 (s)", 3),
  KUBELET_P99("creation → the kubelet's Running is stored, p99 (s)", 3),
  KUBELET_ALONE("what the kubelet alone can start per second", 0),
  RESTARTED("operator started → first new pod (s)", 2),
  REPLACED("one of 64 fails → its replacement is created (s)", 3),
  REPLACED_RUNS("one of 64 fails → its replacement runs (s)", 3),
  RECREATED("one of 64 fails, scope Job → all 64 run again (s)", 2),
  ALONE_P99("small jobs alone: submit → all pods created, p99 (s)", 2),
  BEHIND_P99("small jobs behind a big one: the same, p99 (s)", 2),
  BEHIND_PER_ALONE("behind ÷ alone", 2),
  BIG_JOB_CREATED("the big job meanwhile: submit → all pods created (s)", 2),
  STEADY_WRITES("steady state: the operator's writes per minute", 1),
  STEADY_REQUESTS("steady state: the operator's requests per minute, watches included", 1),
  STEADY_CPU("steady state: operator's CPU seconds per minute", 2),
  STEADY_API_CPU("steady state: API server's CPU seconds per minute", 2),
  SMALL_CPU("CPU per pod until all run, 200 jobs (ms)", 2),
  LARGE_CPU("CPU per pod until all run, 2,000 jobs (ms)", 2),
  GROWTH("CPU per pod, 2,000 jobs ÷ 200 jobs", 2),
  ADMISSION("added by the webhooks to a creation, p50 (ms)", 1);

  private final String title;
  private final int digits;

  Metric(String title, int digits) {
    this.title = title;
    this.digits = digits;
  }

  /** For people, with the unit. */
  String title() {
    return title;
  }

  /** A value with the digits that are worth it. */
  String format(double value) {
    return String.format(java.util.Locale.ROOT, "%." + digits + "f", value);
  }
}
