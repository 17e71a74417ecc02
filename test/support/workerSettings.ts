/** The server, the task queue and the workflows of the workers of this test file. */
export const workerSettings = () => ({
  address: process.env['TEMPORAL_ADDRESS'] ?? '',
  namespace: 'default',
  taskQueue: process.env['TEMPORAL_TASK_QUEUE'] ?? '',
  workflowBundle: process.env['WORKFLOW_BUNDLE'] ?? '',
});
