import { type WorkflowInterceptorsFactory } from '@temporalio/workflow';
import { lapse } from './timeLapse';

export const minuteMs = 60_000;

/** A minute passes in a millisecond. Timers of seconds stay short. */
export const interceptors: WorkflowInterceptorsFactory = () => lapse(minuteMs);
