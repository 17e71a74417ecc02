import { once } from 'node:events';
import { type AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { until } from './until';

export interface ReceivedMail extends Email {
  /** The recipients of the envelope. */
  recipients: string[];
}

/** A mail server on loopback that stores its mails and can fail on request. */
export interface MailServer {
  url: string;
  received: ReceivedMail[];
  /** Called with every complete mail before it is stored. Its error is the reply. */
  misbehave: ((mail: ReceivedMail) => void) | undefined;
  stop(): Promise<void>;
}

export async function startMailServer(port = 0): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    // The server would wait for a pooled connection.
    closeTimeout: 100,
    onData(stream, session, callback) {
      const take = async () => {
        const parts: Buffer[] = [];
        for await (const part of stream) parts.push(part as Buffer);
        const recipients = session.envelope.rcptTo.map(({ address }) => address);
        const mail = { ...(await PostalMime.parse(Buffer.concat(parts))), recipients };
        mailServer.misbehave?.(mail);
        received.push(mail);
      };
      take().then(() => callback(), callback);
    },
  });
  // In some tests a client disconnects in the middle of a mail.
  server.on('error', () => undefined);
  server.listen(port, '127.0.0.1');
  await once(server.server, 'listening');
  const mailServer: MailServer = {
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    received,
    misbehave: undefined,
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
  return mailServer;
}

/** The mail to an address whose subject contains the words, in any case. */
export const arrives = ({ received }: MailServer, to: string, words = ''): Promise<ReceivedMail> =>
  until(() =>
    received.find(
      ({ recipients, subject = '' }) => recipients.includes(to) && subject.toLowerCase().includes(words.toLowerCase()),
    ),
  );

/** An error that the server answers with a status of SMTP. */
export function smtpError(responseCode: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode });
}
