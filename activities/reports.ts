import { mailReport } from '../src/reports/mailings/service';
import { alive } from './pulse';

export const reportActivities = { mailReport: alive(mailReport) };
