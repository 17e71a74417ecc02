import { policyTables } from './policy';
import { type Route } from './routes';

const start = '<!-- endpoints -->';
const end = '<!-- /endpoints -->';

/** A README with the tables of its endpoints, and of who may call them, as they are declared. */
export function withEndpointTable(readme: string, routes: readonly Route[]): string {
  const before = readme.slice(0, readme.indexOf(start) + start.length);
  const after = readme.slice(readme.indexOf(end));
  return `${before}\n\n${policyTables(routes)}\n\n${after}`;
}
