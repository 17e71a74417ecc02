import * as steps from '../src/demoData/steps';
import { withHeartbeat } from './heartbeat';

export const demoDataActivities = {
  passDemoTime: withHeartbeat(steps.passDemoTime),
  takeDemoStep: withHeartbeat(steps.takeDemoStep),
  awaitDemoRuns: withHeartbeat(steps.awaitDemoRuns),
};
