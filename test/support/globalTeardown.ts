export { stopTestServers as default } from './testServers';
