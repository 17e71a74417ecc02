import { z } from 'zod';
import { type Html } from '../../kit/html';
import { type Complaint } from '../layout/explain';
import { field, type FieldOptions } from '../layout/forms';
import { type Texts } from '../layout/texts';

/** What a form of the console sends, as texts: the endpoint says which it takes, and what is wrong with them. */
export const AnyForm = z.object({}).catchall(z.string());

/** Texts by these names, each of which may be absent. */
export function fieldsOf(wanted: readonly string[]): z.ZodObject<Record<string, z.ZodOptional<z.ZodString>>> {
  return z.object(Object.fromEntries(wanted.map((name) => [name, z.string().optional()])));
}

/** What a form sent, or what is stored, by the name of the field that shows it. */
export type Values = Record<string, unknown>;

/** A form that was tried: what is wrong with it, and what it held. */
export interface Tried {
  complaint?: Complaint | undefined;
  values?: Values | undefined;
  /** What the last form did, as `done` in the address tells. */
  done?: string | undefined;
}

/** What a field has in common with the others of its form: its name, what it holds, what is wrong. */
export function filled(values: Values, complaint: Complaint | undefined) {
  return (name: string) => ({ name, value: asText(values[name]), complaint });
}

/** A text as a field shows it again. */
export function asText(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

/** Whether a box is checked, by what is stored or was sent. */
export function isOn(value: unknown): boolean {
  return value === true || value === 'true';
}

/** A box that is not checked is not sent: here it is `false`. */
export function switches(sent: Values, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, isOn(sent[name]) ? 'true' : 'false']));
}

/** `DE, AT ch` is three: what is listed in one field. */
export function words(sent: unknown): string[] {
  return (asText(sent) ?? '').split(/[\s,;]+/).filter(Boolean);
}

/** What is listed one a line. */
export function lines(sent: unknown): string[] {
  return (asText(sent) ?? '')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter(Boolean);
}

/** An instant as `timeField` holds it; Unix seconds, of which 0 is none, or ISO 8601. */
export function timeValue(instant: number | string | null): string | undefined {
  if (instant === 0 || instant === null) return undefined;
  return new Date(typeof instant === 'number' ? instant * 1000 : instant).toISOString().slice(0, 19);
}

/** An instant to the second, so that what is saved unchanged stays what it was. */
export function timeField(texts: Texts, options: Omit<FieldOptions, 'type' | 'hint'>): Html {
  return field(texts, {
    ...options,
    type: 'datetime-local',
    hint: texts.t('console.fields.inUtc'),
    more: { step: '1' },
  });
}
