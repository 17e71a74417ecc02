/** Task queues for activities that have worker slots of their own, in addition to the workflows' task queue. */

/** Background activities: renewals, lookups of refunds, exports, reports, checks of store purchases, hourly readings. */
export const backgroundTaskQueue = (taskQueue: string) => `${taskQueue}-background`;
