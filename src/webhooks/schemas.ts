import { z } from 'zod';
import { formBool, formId, formList, formText } from '../kit/form';
import { eventTypes } from '../notifications/events';

const formats = ['standard', 'form'] as const;

/** None, or one empty element as a form sends it (`events[]=`), means all. */
const EventFilter = z.preprocess(
  (value) => (Array.isArray(value) && value.length === 1 && value[0] === '' ? [] : value),
  formList(z.enum(eventTypes), 100),
);

const Url = z
  .string()
  .trim()
  .max(2048)
  .refine((text) => isPlainAddress(text), 'must be a web address without a user or a fragment');

export const CreateWebhookBody = z.object({
  url: Url,
  events: EventFilter.optional(),
  format: z.enum(formats).default('standard'),
  enabled: formBool().optional(),
  description: formText({ min: 0, max: 250 }).optional(),
});

/** What is absent stays as it is. `resume` counts when it is enabled again. */
export const UpdateWebhookBody = z.object({
  url: Url.optional(),
  events: EventFilter.optional(),
  format: z.enum(formats).optional(),
  enabled: formBool().optional(),
  description: formText({ min: 0, max: 250 }).optional(),
  resume: z.enum(['missed', 'now']).optional(),
});

export const WebhookId = z.object({ id: formId() });

/** Times are Unix seconds, 0 where there is none. */
export const WebhookResponse = z.object({
  id: z.int(),
  url: z.string(),
  events: z.array(z.string()),
  format: z.enum(formats),
  enabled: z.boolean(),
  description: z.string(),
  /** `merchant`, `failing` (for three days) or `gone` (it answered 410); empty while it is enabled. */
  disabled_reason: z.string(),
  disabled_at: z.int(),
  previous_secret_expires_at: z.int(),
  created_at: z.int(),
  updated_at: z.int(),
});

/** The one time that the secret is shown. */
export const NewWebhookResponse = WebhookResponse.extend({ secret: z.string() });

export const SecretResponse = z.object({ secret: z.string(), previous_secret_expires_at: z.int() });

export const WebhookList = z.object({ total: z.int(), collection: z.array(WebhookResponse) });

function isPlainAddress(text: string): boolean {
  if (!URL.canParse(text) || /[\s#\\]/.test(text)) return false;
  const { protocol, username, password } = new URL(text);
  return ['https:', 'http:'].includes(protocol) && username === '' && password === '';
}
