import { readFileSync, writeFileSync } from 'node:fs';
import { routes } from '../src/endpoints';
import { withEndpointTable } from '../src/kit/readme';

const document = 'docs/endpoints.md';

/** Writes the table of endpoints from the declarations; a test tells when it is due. */
writeFileSync(document, withEndpointTable(readFileSync(document, 'utf8'), routes));
process.exit(0);
