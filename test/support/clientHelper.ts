import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { compileFunction } from 'node:vm';
import { type EventMessage } from '../../src/notifications/events';

interface Options {
  address: string;
  merchantUuid: string;
  getToken: () => string;
  lastEventId?: number;
  onEvent: (event: EventMessage) => void;
  onRefused: (code: number) => void;
}

export type Listen = (options: Options) => () => void;

/** The text of the helper, as the documentation offers it. */
export function readClientHelper(): string {
  const text = readFileSync(resolve(__dirname, '../../README.md'), 'utf8');
  return /^```js client\n([^]*?)^```$/m.exec(text)?.[1] ?? '';
}

/** The helper itself. */
export function loadClientHelper(): Listen {
  const load = compileFunction(`${readClientHelper().replace('export ', '')}\nreturn listen;`) as () => Listen;
  return load();
}
