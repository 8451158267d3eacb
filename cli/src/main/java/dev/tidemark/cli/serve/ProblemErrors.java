package dev.tidemark.cli.serve;

import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;

/** What Jetty itself refuses (a request that is not HTTP, headers too long), said as a problem. */
final class ProblemErrors extends ErrorHandler {
  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    Reply reply =
        new ProblemException(response.getStatus(), "Refused", "The request was refused")
            .expected("a well-formed HTTP/1.1 request")
            .reply();
    HttpHandler.secure(response);
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, reply.type());
    response.write(true, ByteBuffer.wrap(reply.body()), callback);
    return true;
  }
}
