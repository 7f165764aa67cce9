{{/* The chart's name, or what stands for it; a part of all names. */}}
{{- define "operator.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{/* The name of the objects; short enough for the longest suffix. */}}
{{- define "operator.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := include "operator.name" . -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* By these, Services and others find the operator's pods; they never change. */}}
{{- define "operator.selectorLabels" -}}
app.kubernetes.io/name: {{ include "operator.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: operator
{{- end -}}

{{/* The labels of all objects. */}}
{{- define "operator.labels" -}}
{{- with .Values.commonLabels }}
{{- toYaml . }}
{{ end -}}
app.kubernetes.io/name: {{ include "operator.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- end -}}

{{/* metadata but for name and namespace. Takes a dict: context, and annotations or labels of the object's own. */}}
{{- define "operator.meta" -}}
labels:
  {{- include "operator.labels" .context | nindent 2 }}
  {{- with .labels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with merge (dict) (.annotations | default dict) .context.Values.commonAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "operator.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "operator.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "operator.webhookName" -}}
{{- include "operator.fullname" . }}-webhook
{{- end -}}

{{- define "operator.metricsName" -}}
{{- include "operator.fullname" . }}-metrics
{{- end -}}

{{/* Who reads the metrics over HTTPS is bound to this ClusterRole; the operator's messages name it so too. */}}
{{- define "operator.metricsReader" -}}
{{- include "operator.metricsName" . }}-reader
{{- end -}}

{{- define "operator.certificateSecret" -}}
{{- default (include "operator.webhookName" .) .Values.webhook.certificates.secretName -}}
{{- end -}}

{{/* Not empty when the operator itself writes the caBundle of the configurations. */}}
{{- define "operator.writesCaBundle" -}}
{{- $certificates := .Values.webhook.certificates -}}
{{- if or (eq $certificates.mode "selfSigned") (and (eq $certificates.mode "provided") (not $certificates.provided.caBundle)) -}}
true
{{- end -}}
{{- end -}}

{{/* Where the operator finds the authorities that pods are to trust, when it does not write the caBundle itself. */}}
{{- define "operator.progressCa" -}}
{{- if and .Values.progress.enabled (not (include "operator.writesCaBundle" .)) -}}
{{- ternary "Secret" "ConfigMap" (eq .Values.webhook.certificates.mode "certManager") -}}
{{- end -}}
{{- end -}}

{{- define "operator.image" -}}
{{- $repository := include "operator.fromRegistry" (dict "registry" .Values.image.registry "image" .Values.image.repository) -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" $repository .Values.image.digest -}}
{{- else -}}
{{- $suffix := ternary "-jvm" "" (eq .Values.image.variant "jvm") -}}
{{- printf "%s:%s" $repository (default (printf "%s%s" .Chart.AppVersion $suffix) .Values.image.tag) -}}
{{- end -}}
{{- end -}}

{{/* The image of the init container. */}}
{{- define "operator.initContainerImage" -}}
{{- include "operator.fromRegistry" (dict "registry" .Values.image.registry "image" .Values.pyTorchJob.initContainer.image) -}}
{{- end -}}

{{/* The image of TensorBoard; empty for the operator's own default. */}}
{{- define "operator.tensorboardImage" -}}
{{- if or .Values.defaults.tensorboardImage .Values.image.registry -}}
{{- include "operator.fromRegistry" (dict "registry" .Values.image.registry "image" (default "docker.io/t9kpublic/tensorboard:2.17.0" .Values.defaults.tensorboardImage)) -}}
{{- end -}}
{{- end -}}

{{/* An image as a registry has it, if one is given, in place of the one that the image names: its first part, if that has a dot or a port, or is localhost. */}}
{{- define "operator.fromRegistry" -}}
{{- if .registry -}}
{{- printf "%s/%s" .registry (regexReplaceAll "^([^/]*[.:][^/]*|localhost)/" .image "") -}}
{{- else -}}
{{- .image -}}
{{- end -}}
{{- end -}}

{{/* Takes away the fields that are null: `runAsUser: null` leaves the choice to the cluster. */}}
{{- define "operator.withoutNull" -}}
{{- $kept := dict -}}
{{- range $key, $value := . -}}
{{- if not (kindIs "invalid" $value) -}}
{{- $_ := set $kept $key $value -}}
{{- end -}}
{{- end -}}
{{- toYaml $kept -}}
{{- end -}}

{{- define "operator.subjects" -}}
- kind: ServiceAccount
  name: {{ include "operator.serviceAccountName" . }}
  namespace: {{ .Release.Namespace }}
{{- end -}}

{{/* The kinds that are on, as a list in YAML. */}}
{{- define "operator.kinds" -}}
{{- if not (or .Values.kinds.pyTorchTrainingJob .Values.kinds.pyTorchJob) }}
{{- fail "kinds: both are off, and the operator would have nothing to do; set kinds.pyTorchTrainingJob: true or kinds.pyTorchJob: true" }}
{{- end }}
{{- if .Values.kinds.pyTorchTrainingJob }}
- kind: PyTorchTrainingJob
  group: batch.tensorstack.dev
  version: v1beta1
  plural: pytorchtrainingjobs
  # Behind /mutate and /validate.
  path: ""
{{- end }}
{{- if .Values.kinds.pyTorchJob }}
- kind: PyTorchJob
  group: kubeflow.org
  version: v1
  plural: pytorchjobs
  path: /pytorchjobs
{{- end }}
{{- end -}}

{{/* The init containers that replace the operator's own; empty when there are none. */}}
{{- define "operator.initContainers" -}}
{{- $init := .Values.pyTorchJob.initContainer -}}
{{- if and .Values.kinds.pyTorchJob $init.enabled $init.template }}
{{- /* The operator would not start with what it cannot read; here is said so before anything changes. */}}
{{- $filled := regexReplaceAll `\{\{\s*\.(MasterAddr|InitContainerImage|MaxTries)\s*\}\}` $init.template "1" | fromYamlArray }}
{{- range $filled | default (list "") }}
{{- if not (and (kindIs "map" .) (get . "name") (get . "image")) }}
{{- fail "pyTorchJob.initContainer.template: write a YAML list of containers, each with name and image, or leave it empty for the operator's own init container" }}
{{- end }}
{{- end }}
{{- $init.template -}}
{{- end }}
{{- end -}}

{{- define "operator.initContainersName" -}}
{{- include "operator.fullname" . }}-pytorchjob
{{- end -}}

{{/* What the operator may do where its jobs are; SECURITY.md says why. */}}
{{- define "operator.jobRules" -}}
{{- $trainingJobs := .Values.kinds.pyTorchTrainingJob }}
{{- if $trainingJobs }}
- apiGroups: [batch.tensorstack.dev]
  resources: [pytorchtrainingjobs]
  verbs: [get, list, watch, delete]
- apiGroups: [batch.tensorstack.dev]
  resources: [pytorchtrainingjobs/scale]
  verbs: [patch]
- apiGroups: [batch.tensorstack.dev]
  resources: [pytorchtrainingjobs/status, pytorchtrainingjobs/finalizers]
  verbs: [update]
{{- end }}
{{- if .Values.kinds.pyTorchJob }}
- apiGroups: [kubeflow.org]
  resources: [pytorchjobs]
  verbs: [get, list, watch, delete]
- apiGroups: [kubeflow.org]
  resources: [pytorchjobs/status, pytorchjobs/finalizers]
  verbs: [update]
{{- end }}
{{- /* Jobs of this kind alone have one Service, which pods leave that were given up with their node; a log of torchrun's; and
     a TensorBoard, that is a Deployment and a Service that changes. Pods of both kinds may make no progress, and tell of
     it in their log. */}}
{{- $patch := ternary "patch, " "" $trainingJobs }}
{{- $looksIntoPods := or $trainingJobs .Values.progress.enabled }}
- apiGroups: [""]
  resources: [pods]
  verbs: [get, list, watch, create, {{ ternary "patch, " "" $looksIntoPods }}delete]
{{- if and $looksIntoPods .Values.rbac.podLogs }}
- apiGroups: [""]
  resources: [pods/log]
  verbs: [get]
{{- end }}
- apiGroups: [""]
  resources: [services]
  verbs: [get, list, watch, create, {{ $patch }}delete]
{{- if $trainingJobs }}
- apiGroups: [apps]
  resources: [deployments]
  verbs: [get, list, watch, create, patch, delete]
{{- end }}
- apiGroups: [autoscaling]
  resources: [horizontalpodautoscalers]
  verbs: [get, list, watch, create, patch, delete]
{{- $groups := list }}
{{- if $trainingJobs }}
{{- with .Values.rbac.podGroups }}
{{- if .t9k }}{{ $groups = append $groups "scheduler.tensorstack.dev" }}{{ end }}
{{- if .volcano }}{{ $groups = append $groups "scheduling.volcano.sh" }}{{ end }}
{{- if .coscheduling }}{{ $groups = append $groups "scheduling.x-k8s.io" }}{{ end }}
{{- if .kubernetes }}{{ $groups = append $groups "scheduling.k8s.io" }}{{ end }}
{{- end }}
{{- end }}
{{- $gangScheduler := .Values.pyTorchJob.gangScheduler }}
{{- if and .Values.kinds.pyTorchJob (ne $gangScheduler "none") }}
{{- $groups = append $groups (ternary "scheduling.volcano.sh" "scheduling.x-k8s.io" (eq $gangScheduler "volcano")) }}
{{- end }}
{{- with $groups | uniq }}
- apiGroups: [{{ join ", " . }}]
  resources: [podgroups]
  verbs: [get, list, watch, create, patch, delete]
{{- end }}
{{- if .Values.rbac.kueue }}
- apiGroups: [kueue.x-k8s.io]
  resources: [workloads]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [kueue.x-k8s.io]
  resources: [workloads/status]
  verbs: [patch]
- apiGroups: [kueue.x-k8s.io]
  resources: [workloads/finalizers]
  verbs: [update]
{{- end }}
- apiGroups: [""]
  resources: [events]
  verbs: [get, list, create, patch]
{{- end -}}

{{- define "operator.nodeRules" -}}
- apiGroups: [""]
  resources: [nodes]
  verbs: [list, watch]
{{- $queues := .Values.rbac.kueue }}
{{- if or $queues (and .Values.kinds.pyTorchJob (ne .Values.pyTorchJob.gangScheduler "none")) }}
# How important the pods of a job in a queue are, and which of a gang smaller than its job are the most important.
- apiGroups: [scheduling.k8s.io]
  resources: [priorityclasses]
  verbs: [list]
{{- end }}
{{- if $queues }}
# To which nodes a queue sends the pods of a job.
- apiGroups: [kueue.x-k8s.io]
  resources: [resourceflavors, workloadpriorityclasses]
  verbs: [list]
{{- end }}
{{- if or (and .Values.kinds.pyTorchTrainingJob .Values.rbac.podGroups.volcano) (and .Values.kinds.pyTorchJob (eq .Values.pyTorchJob.gangScheduler "volcano")) }}
# Why a gang of Volcano waits.
- apiGroups: [scheduling.volcano.sh]
  resources: [queues]
  verbs: [list]
{{- end }}
{{- end -}}

{{- /* Whether the operator may read for the whole cluster: nodes, PriorityClasses, and what shows that Kubeflow's Training Operator works. */}}
{{- define "operator.readsCluster" -}}
{{- if ternary (not .Values.watchNamespaces) .Values.rbac.nodes (kindIs "invalid" .Values.rbac.nodes) }}true{{ end }}
{{- end -}}

{{- define "operator.looksForTrainingOperator" -}}
{{ and .Values.kinds.pyTorchJob .Values.pyTorchJob.trainingOperatorCheck (or (not .Values.watchNamespaces) (eq (include "operator.readsCluster" .) "true")) }}
{{- end -}}

{{/* Whose token a progress report has. A Role cannot give this right. */}}
{{- define "operator.progressRules" -}}
- apiGroups: [authentication.k8s.io]
  resources: [tokenreviews]
  verbs: [create]
{{- end -}}

{{/* How Prometheus checks the certificate: a request goes to a pod's address, so the name is said here. */}}
{{- define "operator.metricsTls" -}}
{{- $certificates := .Values.webhook.certificates -}}
{{- /* A provided certificate need only have the name of the webhooks. */ -}}
{{- $name := ternary (include "operator.webhookName" .) (include "operator.metricsName" .) (eq $certificates.mode "provided") -}}
serverName: {{ $name }}.{{ .Release.Namespace }}.svc
ca:
  {{- if and (eq $certificates.mode "provided") $certificates.provided.caBundle }}
  configMap:
    name: {{ include "operator.webhookName" . }}-ca
    key: ca.crt
  {{- else }}
  secret:
    name: {{ include "operator.certificateSecret" . }}
    key: ca.crt
  {{- end }}
{{- end -}}

{{- define "operator.trainingOperatorRules" -}}
{{- if eq (include "operator.looksForTrainingOperator" .) "true" }}
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  resourceNames: [1ca428e5.training-operator.kubeflow.org]
  verbs: [list]
- apiGroups: [admissionregistration.k8s.io]
  resources: [validatingwebhookconfigurations]
  resourceNames: [validator.training-operator.kubeflow.org, kubeflow-validator.training-operator.kubeflow.org]
  verbs: [get]
- apiGroups: [discovery.k8s.io]
  resources: [endpointslices]
  verbs: [list]
{{- end }}
{{- end -}}

{{/* What a user may do who works with jobs of a kind, one of those of operator.kinds. */}}
{{- define "operator.editorRules" -}}
- apiGroups: [{{ .group }}]
  resources: [{{ .plural }}]
  verbs: [get, list, watch, create, update, patch, delete, deletecollection]
- apiGroups: [{{ .group }}]
  resources: [{{ .plural }}/scale]
  verbs: [get, update, patch]
- apiGroups: [{{ .group }}]
  resources: [{{ .plural }}/status]
  verbs: [get]
{{- end -}}

{{/* What a user may do who looks at jobs of a kind. */}}
{{- define "operator.viewerRules" -}}
- apiGroups: [{{ .group }}]
  resources: [{{ .plural }}]
  verbs: [get, list, watch]
- apiGroups: [{{ .group }}]
  resources: [{{ .plural }}/scale, {{ .plural }}/status]
  verbs: [get]
{{- end -}}
