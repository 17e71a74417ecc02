import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const bundle = readFileSync(resolve(__dirname, '../../dist/workflow-bundle.js'), 'utf8');

interface SourceMap {
  sources: string[];
  mappings: string;
  sourcesContent?: string[];
}

test('the source map of the workflows has the positions of stack traces, but not the text of the sources', () => {
  const encoded = bundle.slice(bundle.lastIndexOf('base64,') + 'base64,'.length);
  const map = JSON.parse(Buffer.from(encoded, 'base64').toString()) as SourceMap;
  expect(map.sources.filter((source) => source.endsWith('/workflows/index.ts'))).not.toHaveLength(0);
  expect(map.mappings.length).toBeGreaterThan(map.sources.length);
  expect(map.sourcesContent).toBeUndefined();
});

test('each character of the workflows takes one byte in memory', () => expect(bundle).not.toMatch(/[^\0-\xff]/));
