import { type WorkflowInterceptorsFactory } from '@temporalio/workflow';
import { lapse } from './timeLapse';

export const minuteMs = 60_000;

/** A minute passes in a millisecond, for tests where timers of seconds must stay short. */
export const interceptors: WorkflowInterceptorsFactory = () => lapse(minuteMs);
