import { z } from 'zod';
import { type Complaint } from '../layout/explain';

/** The unchecked fields of a form. The endpoint validates them. */
export const AnyForm = z.object({}).catchall(z.string());

/** A schema of optional texts with these names. */
export function fieldsOf(names: readonly string[]): z.ZodObject<Record<string, z.ZodOptional<z.ZodString>>> {
  return z.object(Object.fromEntries(names.map((name) => [name, z.string().optional()])));
}

/** The sent or stored values, by field name. */
export type Values = Record<string, unknown>;

/** A refused form, with its errors and values. */
export interface FormState {
  complaint?: Complaint | undefined;
  values?: Values | undefined;
  /** The confirmation of the last form, from the parameter `done`. */
  done?: string | undefined;
}

/** The common options of a field: its name, its value and the errors of the form. */
export function filled(values: Values, complaint: Complaint | undefined) {
  return (name: string) => ({ name, value: asText(values[name]), complaint });
}

/** A sent value as the text of a field. */
export function asText(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

/** Whether a checkbox is checked, by the stored or sent value. */
export function isOn(value: unknown): boolean {
  return value === true || value === 'true';
}

/** The checkboxes with these names. Browsers do not send an unchecked box, so an absent one is `false`. */
export function switches(sent: Values, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, isOn(sent[name]) ? 'true' : 'false']));
}

/** The words in a field: `DE, AT ch` has three. */
export function words(sent: unknown): string[] {
  return (asText(sent) ?? '').split(/[\s,;]+/).filter(Boolean);
}

/** The lines of a text field with several lines. */
export function lines(sent: unknown): string[] {
  return (asText(sent) ?? '')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter(Boolean);
}

/** The value of a field for a time. The input is Unix seconds, where 0 means no time, or ISO 8601. */
export function timeValue(instant: number | string | null): string | undefined {
  if (instant === 0 || instant === null) return undefined;
  return new Date(typeof instant === 'number' ? instant * 1000 : instant).toISOString();
}
