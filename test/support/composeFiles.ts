import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';

const root = path.join(__dirname, '../..');

/** What Compose makes of its files: variables filled in, and later files laid over earlier ones. */
export function readComposeFiles(names: readonly string[], given: Record<string, string> = {}): unknown {
  return names
    .map((name): unknown => parse(readFileSync(path.join(root, name), 'utf8'), { merge: true }))
    .map((document) => fillIn(document, given))
    .reduce(layOver);
}

function fillIn(value: unknown, given: Record<string, string>): unknown {
  if (typeof value === 'string') return interpolate(value, given);
  if (Array.isArray(value)) return value.map((one) => fillIn(one, given));
  if (!isMapping(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, fillIn(one, given)]));
}

const variable = /\$\{(\w+)(?:(:?-)([^${}]*))?\}/g;

/** `${A}`, `${A-if absent}` and `${A:-if absent or empty}`. A default can hold further variables. */
export function interpolate(text: string, given: Record<string, string>): string {
  const once = text.replace(variable, (_text, name: string, operator = ':-', usual = '') => {
    const value = given[name];
    return value === undefined || (value === '' && operator === ':-') ? String(usual) : value;
  });
  return once === text ? text : interpolate(once, given);
}

/** Mappings are merged. Of other values the later one counts, which is enough for the files of this repository. */
export function layOver(below: unknown, above: unknown): unknown {
  if (!isMapping(below) || !isMapping(above)) return above;
  const names = [...new Set([...Object.keys(below), ...Object.keys(above)])];
  return Object.fromEntries(
    names.map((name) => [name, name in above ? layOver(below[name], above[name]) : below[name]]),
  );
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The settings in a file such as `.env`. Lines that start with # are comments. */
export function parseEnvFile(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => /^\w+=/.test(line));
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}
