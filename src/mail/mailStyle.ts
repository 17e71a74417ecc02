import { html, Html } from '../kit/html';

/** The colours and the head of a mail. Programs that know dark mails take the dark colours from the classes. */

export const light = { ground: '#f4f4f6', paper: '#ffffff', ink: '#1e1f24', quiet: '#5c5d66', line: '#e3e4e9' };
export const dark = {
  ground: '#111113',
  paper: '#18191b',
  edge: '#80858c',
  ink: '#edeef0',
  quiet: '#b0b4ba',
  line: '#363a3f',
};

export const fonts = "'Inter Variable',Inter,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
export const monospaced = 'ui-monospace,Menlo,Consolas,monospace';
export const layout = new Html('role="presentation" cellpadding="0" cellspacing="0" border="0"');

export function headOf(subject: string): Html {
  return html`<head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta name="supported-color-schemes" content="light dark" />
    <title>${subject}</title>
    <style>
      ${new Html(sheet)}
    </style>
  </head>`;
}

const sheet = `
  :root { color-scheme: light dark; supported-color-schemes: light dark; }
  .footer a { color: inherit; }
  .footer p, .footer h2, .footer h3, .footer h4 { margin: 0 0 8px; font-size: 13px; }
  .footer ul, .footer ol { margin: 0 0 8px; padding: 0; list-style-position: inside; }
  .footer img { max-width: 100%; height: auto; }
  @media (max-width: 480px) { .inside { padding: 24px !important; } }
  @media (prefers-color-scheme: dark) {
    .ground { background: ${dark.ground} !important; }
    .card { background: ${dark.paper} !important; border-right-color: ${dark.line} !important; border-bottom-color: ${dark.line} !important; border-left-color: ${dark.line} !important; }
    .ink { color: ${dark.ink} !important; }
    .quiet { color: ${dark.quiet} !important; }
    .line { border-color: ${dark.line} !important; }
    .edged { border-color: ${dark.edge} !important; }
    .logo { padding: 4px; border-radius: 8px; background: ${light.paper}; }
  }`;
