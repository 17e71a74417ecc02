import { arrangingStyle } from './styles/arranging';
import { baseStyle } from './styles/base';
import { consoleStyle } from './styles/console';
import { formsStyle } from './styles/forms';
import { listsStyle } from './styles/lists';
import { paywallStyle } from './styles/paywall';
import { portalStyle } from './styles/portal';

/**
 * The one style sheet. Colours, space and sizes are custom properties; a merchant's theme sets `--primary` and its like.
 * Sides are logical (`inline-start`), so that a page reads from the right as well. Usable from 320 px on.
 */
export const styleSheet = [
  baseStyle,
  arrangingStyle,
  formsStyle,
  listsStyle,
  paywallStyle,
  portalStyle,
  consoleStyle,
].join('');

/** What a page needs that is a notice or one small form, and carries its style itself. */
export const plainStyleSheet = [baseStyle, arrangingStyle, formsStyle].join('');
