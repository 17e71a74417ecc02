/** The front door of reports to the replica: a report is read from one source as a whole. */
export { asReport, asReportPart } from '../adapters/postgres/reports';
