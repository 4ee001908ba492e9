import { keysOf } from "../../kernel/keys.js";
import type { Language } from "../language.js";
import { de } from "./de.js";
import { en } from "./en.js";
import { es } from "./es.js";
import { fr } from "./fr.js";
import { it } from "./it.js";
import { ja } from "./ja.js";
import { nl } from "./nl.js";
import { ptBr } from "./pt-br.js";

/** The languages that fixtures are generated in, by the locale that `--locale` names. */
export const LANGUAGES = { en, fr, de, es, it, pt_BR: ptBr, nl, ja } satisfies Record<string, Language>;
export const LOCALES = keysOf(LANGUAGES);
