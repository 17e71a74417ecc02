import { builtIn } from './builtIn';
import { type LiveChatProvider } from './provider';

export const liveChatProvider: LiveChatProvider = builtIn;
