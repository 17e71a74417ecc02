/**
 * The names, ids and payloads that the API, the workflows and the worker exchange. Only ids are sent, never personal
 * data.
 */

export * from './accounts';
export * from './actors';
export * from './changes';
export * from './charges';
export * from './demoData';
export * from './payments';
export * from './queues';
export * from './reports';
export * from './runs';
export * from './searchAttributes';
export * from './snapshot';
export * from './steps';
export * from './stores';
export * from './subscriptions';
export * from './switches';
export * from './traces';
export * from './webhooks';
