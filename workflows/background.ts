import { workflowInfo } from '@temporalio/workflow';
import { backgroundTaskQueue } from './messages';

/** Options for background activities. They have their own task queue, so that a backlog delays no interactive work. */
export const inBackground = () => ({ taskQueue: backgroundTaskQueue(workflowInfo().taskQueue) });
