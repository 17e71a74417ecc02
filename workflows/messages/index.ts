/** What crosses between the API, the workflows and the worker: names, ids, shapes. Only ids travel: no personal data. */

export * from './accounts';
export * from './actors';
export * from './changes';
export * from './charges';
export * from './payments';
export * from './reports';
export * from './runs';
export * from './searchAttributes';
export * from './standing';
export * from './steps';
export * from './stores';
export * from './subscriptions';
export * from './switches';
export * from './webhooks';
