import type QrCode from 'qrcode-generator';
import { html, type Html } from '../../kit/html';
import { lazily } from '../../kit/lazily';

const qrCodes = lazily<typeof QrCode>(require, 'qrcode-generator');

/** The light border around the code, in modules. Cameras need it. */
const border = 4;

/** A QR code as a picture. It is black on white in every theme, because cameras expect that. */
export function qrCode(text: string, label: string): Html {
  // The lowest error correction gives the largest modules. A screen is neither dirty nor torn, so it needs no more.
  const code = qrCodes()(0, 'L');
  code.addData(text);
  code.make();
  const size = code.getModuleCount();
  const places = Array.from({ length: size }, (_, place) => place);
  const modules = places.flatMap((row) =>
    places.filter((column) => code.isDark(row, column)).map((column) => `M${column + border} ${row + border}h1v1h-1z`),
  );
  const whole = size + 2 * border;
  return html`<svg class="qr" viewBox="0 0 ${whole} ${whole}" role="img" aria-label="${label}">
    <path fill="#fff" d="M0 0h${whole}v${whole}H0z" />
    <path fill="#000" d="${modules.join('')}" />
  </svg>`;
}
