import { mailReport } from '../src/reports/reportDeliveries';
import { withHeartbeat } from './heartbeat';

export const reportActivities = { mailReport: withHeartbeat(mailReport) };
