export const bareTaskQueue = 'bare';
export const bareWorkflowName = 'bare';
