/** How rules of reports read from the replica. */
export { asReport, asReportPart } from '../adapters/postgres/reports';
