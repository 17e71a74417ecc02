export { startTestServers as default } from './testServers';
