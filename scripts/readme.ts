import { readFileSync, writeFileSync } from 'node:fs';
import { routes } from '../src/endpoints';
import { withEndpointTable } from '../src/kit/readme';

/** Writes the README's endpoint table from the declarations; a test tells when it is due. */
writeFileSync('README.md', withEndpointTable(readFileSync('README.md', 'utf8'), routes));
process.exit(0);
