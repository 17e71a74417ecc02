import { policyTables } from './policy';
import { type Route } from './routes';

const start = '<!-- endpoints -->';
const end = '<!-- /endpoints -->';

/** A document with the tables of the endpoints, and of who may call them, as they are declared. */
export function withEndpointTable(document: string, routes: readonly Route[]): string {
  const before = document.slice(0, document.indexOf(start) + start.length);
  const after = document.slice(document.indexOf(end));
  return `${before}\n\n${policyTables(routes)}\n\n${after}`;
}
