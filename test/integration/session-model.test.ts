import { describeSessionModel } from "../support/session-model-suite.ts";

describeSessionModel(true);
