-- How Argo CD sees a PyTorchTrainingJob of batch.tensorstack.dev.
local status = obj.status or {}
if status.phase == nil then
  return {status = "Progressing", message = "the operator has not seen the job yet"}
end
if status.observedGeneration ~= obj.metadata.generation then
  return {status = "Progressing", message = "the operator has not seen the last change yet"}
end

local isTrue = {}
local message = status.phase
for _, condition in ipairs(status.conditions or {}) do
  isTrue[condition.type] = condition.status == "True"
  if condition.type == "Running" and condition.message ~= nil and condition.message ~= "" then
    message = condition.message
  end
end

if status.phase == "Failed" or isTrue["Stalled"] then
  return {status = "Degraded", message = message}
end
if status.phase == "Succeeded" then
  return {status = "Healthy", message = message}
end
if status.phase == "Paused" then
  return {status = "Suspended", message = message}
end

-- A hook is done when the job is; otherwise a job that runs is as it should be.
local annotations = obj.metadata.annotations or {}
local isHook = annotations["argocd.argoproj.io/hook"] or annotations["helm.sh/hook"]
if status.phase == "Running" and not isTrue["Reconciling"] and not isHook then
  return {status = "Healthy", message = message}
end
return {status = "Progressing", message = message}
