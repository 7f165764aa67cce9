package v1beta1

// QueueAllocationGateKey is in the module that Volcano 1.15 was made with, which is not published.
const QueueAllocationGateKey = GroupName + "/queue-allocation-gate"
