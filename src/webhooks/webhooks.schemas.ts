import { z } from 'zod';
import { formBool, formId, formList, formText } from '../kit/form';
import { SubscribedType } from '../notifications/events';

const formats = ['standard', 'form'] as const;

/** No element, or one empty element as a form sends it (`events[]=`), means all types. */
export const EventFilter = z.preprocess(
  (value) => (Array.isArray(value) && value.length === 1 && value[0] === '' ? [] : value),
  formList(SubscribedType, 100),
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

/** Absent fields stay as they are. `resume` applies when the webhook is enabled again. */
export const UpdateWebhookBody = z.object({
  url: Url.optional(),
  events: EventFilter.optional(),
  format: z.enum(formats).optional(),
  enabled: formBool().optional(),
  description: formText({ min: 0, max: 250 }).optional(),
  resume: z.enum(['missed', 'now']).optional(),
});

export const WebhookId = z.object({ id: formId() });

/** Times are Unix seconds; 0 means none. */
export const WebhookResponse = z.object({
  id: z.int(),
  url: z.string(),
  events: z.array(z.string()),
  /** The types in `events` that this product never sends. */
  never_sent: z.array(z.string()),
  format: z.enum(formats),
  enabled: z.boolean(),
  description: z.string(),
  /**
   * `merchant`, `failing` (for three days) or `gone` (the receiver answered 410); empty while the webhook is enabled.
   */
  disabled_reason: z.string(),
  disabled_at: z.int(),
  previous_secret_expires_at: z.int(),
  created_at: z.int(),
  updated_at: z.int(),
});

/** The secret is shown in this response only. */
export const NewWebhookResponse = WebhookResponse.extend({ secret: z.string() });

export const SecretResponse = z.object({ secret: z.string(), previous_secret_expires_at: z.int() });

export const WebhookList = z.object({ total: z.int(), collection: z.array(WebhookResponse) });

function isPlainAddress(text: string): boolean {
  if (!URL.canParse(text) || /[\s#\\]/.test(text)) return false;
  const { protocol, username, password } = new URL(text);
  return ['https:', 'http:'].includes(protocol) && username === '' && password === '';
}
