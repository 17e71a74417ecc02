import { readFileSync, writeFileSync } from 'node:fs';
import { Environment, secrets } from '../src/config';
import { requiredInProduction } from '../src/kit/environments';
import { routes } from '../src/endpoints';
import { withEndpointTable, withSettingsTable } from '../src/kit/readme';

/** Writes the tables in docs/ from the declarations of endpoints and settings. A test fails while a table is outdated. */
const tables: Record<string, (document: string) => string> = {
  'docs/endpoints.md': (document) => withEndpointTable(document, routes),
  'docs/settings.md': (document) => withSettingsTable(document, { schema: Environment, secrets, requiredInProduction }),
};
for (const [name, withItsTable] of Object.entries(tables))
  writeFileSync(name, withItsTable(readFileSync(name, 'utf8')));
process.exit(0);
