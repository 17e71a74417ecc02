import { z } from 'zod';

const App = z.union([
  z.object({ client_id: z.string().min(1).max(100), redirect: z.url().max(2048) }),
  z
    .object({ uuid: z.string().min(1).max(100), redirect: z.url().max(2048) })
    .transform(({ uuid, redirect }) => ({ client_id: uuid, redirect })),
]);

/**
 * The app's state: base64 of `{client_id or uuid, redirect}`. Some apps send it without URL encoding, so that a query
 * reads `+` as a space.
 */
const AppState = z
  .string()
  .max(4096)
  .transform((text) => readJson(Buffer.from(text.replaceAll(' ', '+'), 'base64').toString('utf8')))
  .pipe(z.unknown().refine((value) => App.safeParse(value).success, 'must be base64 of {client_id, redirect}'))
  .pipe(App);

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const SocialQuery = z.object({ state: AppState });

export const ProviderPath = z.object({ provider: z.string().max(64) });

/** A provider's redirect back to us (RFC 6749 4.1.2, RFC 9207). */
export const CallbackQuery = z.object({
  state: z.string().max(256),
  code: z.string().max(4096).optional(),
  iss: z.string().max(2048).optional(),
  error: z.string().max(256).optional(),
});

/** `explain`: the reason why the links will be refused. */
export const SocialLinksResponse = z.object({
  code: z.literal(200),
  social_urls: z.array(z.record(z.string(), z.url())),
  explain: z.string().optional(),
});
