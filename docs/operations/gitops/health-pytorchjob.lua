-- How Argo CD sees a PyTorchJob of kubeflow.org, whichever operator works on it.
local status = obj.status or {}
if status.observedGeneration ~= nil and status.observedGeneration ~= obj.metadata.generation then
  return {status = "Progressing", message = "the operator has not seen the last change yet"}
end

-- The conditions stand in the order in which they changed: the last one that is True counts.
local last = nil
for _, condition in ipairs(status.conditions or {}) do
  if condition.status == "True" then
    last = condition
  end
end
if last == nil then
  return {status = "Progressing", message = "the operator has not seen the job yet"}
end

-- A hook is done when the job is; otherwise a job that runs is as it should be.
local annotations = obj.metadata.annotations or {}
local isHook = annotations["argocd.argoproj.io/hook"] or annotations["helm.sh/hook"]
local health = {
  Running = isHook and "Progressing" or "Healthy",
  Succeeded = "Healthy",
  Suspended = "Suspended",
  Failed = "Degraded",
}
return {status = health[last.type] or "Progressing", message = last.message or last.type}
