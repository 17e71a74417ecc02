import { z } from 'zod';
import { formDate, formId, formInt, formText } from '../kit/form';
import { cursorPageOf } from '../kit/page';

/** Spaces, dashes and case are ignored. A chosen code has at least six letters or digits. */
const Code = z.preprocess(
  (value) => (typeof value === 'number' ? String(value) : value),
  z
    .string()
    .trim()
    .max(64)
    .regex(/^[\p{L}\p{N}](?:[ _-]?[\p{L}\p{N}]){5,}$/u, 'must be six or more letters or digits'),
);

/** Without `code`, a code is generated. `device_limit` is the number of devices that may use it at the same time. */
export const AccessCodeBody = z.object({
  code: Code.optional(),
  device_limit: formInt().pipe(z.int().min(1).max(10_000)).optional(),
  expires_at: formDate().optional(),
});

/** `id` equals `code_id`, which is only shown to the merchant and to users of the code. Times are Unix seconds. */
export const AccessCodeResponse = z.object({
  id: z.int(),
  code_id: z.int(),
  item_id: z.int(),
  merchant_id: z.int(),
  code: z.string(),
  device_limit: z.int(),
  devices: z.int(),
  expires_at: z.int(),
  created_at: z.int(),
});

export const AccessCodePage = cursorPageOf(AccessCodeResponse);

export const EntryBody = z.object({
  item_id: formId(),
  code: formText({ max: 100 }),
  browser_fingerprint: formText({ max: 200 }),
});

export const EntryResponse = z.object({
  item_id: z.int(),
  content: z.string(),
  in_use: z.boolean(),
  browser_fingerprint: z.string(),
  code: z.string(),
  type: z.string(),
  code_id: z.int(),
});

/** The `code_id`, or the code itself, which older clients send. */
const named = z.string().min(1).max(100);
export const CodePath = z.object({ code_id: named });
export const CodeSessionPath = z.object({ code_id: named, fingerprint: z.string().min(1).max(200) });

export const CodeSessions = z.array(
  z.object({
    id: z.int(),
    code: z.string(),
    browser_fingerprint: z.string(),
    agent_info: z.string(),
    last_used: z.int(),
  }),
);
