import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import { z } from 'zod';

/** Parsers for environment variables. src/config.ts has the names, defaults and meanings. */

export const port = (fallback: number) => z.coerce.number().int().min(0).max(65_535).default(fallback);

export const count = (fallback: number) => z.coerce.number().int().min(1).default(fallback);

export const commaSeparated = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
  );

export const existingFile = z.string().refine(existsSync, 'there is no such file');

const loopback = ['127.0.0.1', 'localhost', '[::1]'];

/** Whether a server that listens on the host is reachable from this machine only. */
export function isLoopback(host: string): boolean {
  return loopback.includes(host.toLowerCase()) || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}

/** The address of another service. It must be https, except for an address of this machine. */
export const serviceAddress = z
  .url()
  .refine((text) => /^https:/i.test(text) || loopback.includes(new URL(text).hostname), 'must be an https address');

/** A secret that is mixed into passwords before they are hashed. Each hash names the version of its pepper. */
export interface Pepper {
  version: number;
  secret: string;
}

const shortestPepper = 16;

export function readPeppers(text: string, context: z.RefinementCtx): Pepper[] {
  const peppers = text
    .split(',')
    .filter((part) => part.trim() !== '')
    .map((part) => /^\s*(\d{1,6}):(\S+)\s*$/.exec(part))
    .map((found) => ({ version: Number(found?.[1]), secret: found?.[2] ?? '' }));
  const versions = new Set(peppers.map(({ version }) => version));
  if (versions.size < peppers.length || peppers.some(({ secret }) => secret.length < shortestPepper))
    context.addIssue({
      code: 'custom',
      message: `must be like 2:<secret>,1:<older secret>, each of ${shortestPepper} characters or more`,
    });
  return peppers;
}

/** Headers as OpenTelemetry writes them in a setting: `name=value` pairs with commas between them, percent-encoded. */
export function readHeaders(text: string, context: z.RefinementCtx): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const pair of text.split(',').filter((part) => part.trim() !== '')) {
    const [, name, value] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=(.*)$/.exec(pair) ?? [];
    const decoded = value === undefined ? undefined : decode(value.trim());
    if (name === undefined || decoded === undefined)
      context.addIssue({ code: 'custom', message: 'must be like name=value,other=value, percent-encoded' });
    else headers[name] = decoded;
  }
  return headers;
}

/** Undefined if the text is not percent-encoded correctly, or if a header cannot contain the result. */
function decode(text: string): string | undefined {
  try {
    const decoded = decodeURIComponent(text);
    return /[\r\n\0]/.test(decoded) ? undefined : decoded;
  } catch {
    return undefined;
  }
}

/** How many mails a merchant can send each day from an age on. */
export interface MailBudgetStep {
  days: number;
  mails: number;
}

export function readMailBudgets(text: string, context: z.RefinementCtx): MailBudgetStep[] {
  const steps = text
    .split(',')
    .map((part) => /^\s*(\d{1,5}):([1-9]\d{0,8})\s*$/.exec(part))
    .map((found) => ({ days: Number(found?.[1]), mails: Number(found?.[2]) }));
  const isGrowing = steps.every(({ days, mails }, at) => {
    const before = steps[at - 1];
    return before ? days > before.days && mails >= before.mails : days === 0;
  });
  if (!isGrowing)
    context.addIssue({ code: 'custom', message: 'must be like 0:200,7:2000: from day 0 on, and growing' });
  return steps;
}

/**
 * Reads 32 bytes in base64. Without a text, the key is random and valid for this process only. Production requires the
 * setting.
 */
export function readEncryptionKey(text: string | undefined): Buffer {
  const key = text === undefined ? randomBytes(32) : Buffer.from(text, 'base64');
  if (key.length !== 32) throw new Error('ENCRYPTION_KEY: must be 32 bytes in base64');
  return key;
}

/** The secret in the file that `NAME_FILE` names, without the line break at its end. */
export function readSecretFile(name: string, path: string | undefined): string | undefined {
  if (path === undefined || path === '') return undefined;
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    throw new Error(`${name}_FILE: ${path} cannot be read`);
  }
}

export function explainIssue(issue: z.core.$ZodIssue): string {
  return `${issue.path.join('.')}: ${issue.message}`;
}
