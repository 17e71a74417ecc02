import { type z } from 'zod';
import { type MailTextResponse } from '../../src/mail/texts/texts.schemas';
import { call, type Method } from './client';
import { type Person } from './factories';
import { type TestApp } from './startApp';

export type MailTextBody = z.output<typeof MailTextResponse>;

/** Calls the endpoint of one text: `PUT receipt/de`, `POST receipt/de/preview`. */
export const callText = <Body = MailTextBody>(
  app: TestApp,
  request: string,
  caller: Pick<Person, 'token'>,
  fields?: Record<string, unknown>,
) => {
  const [method, place = ''] = request.split(' ');
  return call<Body>(app, method as Method, `/v2/mail-texts/${place}`, fields, caller);
};

/** The own text of a mail; null for the standard text. */
export const ownText = async (app: TestApp, place: string, merchant: Person) =>
  (await callText(app, `GET ${place}`, merchant)).body.own;

/** The answer to a refused text. */
export const refusedText = (field: string, text: string) => ({
  status: 422,
  body: { error: 'invalid_input', errors: { [field]: text } },
});
