package dev.tidemark.pinot.controller;

import java.io.IOException;
import java.io.InputStream;

/** The body of a request, opened anew at each attempt. */
public interface RequestBody {
  /** Opens it. */
  InputStream open() throws IOException;

  /** Its exact length. */
  long length();
}
