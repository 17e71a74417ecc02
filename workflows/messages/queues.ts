/** Task queues for activities with separate worker slots, in addition to the workflows' task queue. */

/** Background activities: renewals, lookups of refunds, exports, reports, checks of store purchases, hourly readings. */
export const backgroundTaskQueue = (taskQueue: string) => `${taskQueue}-background`;
